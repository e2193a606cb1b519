"""Parts of a vector by name."""

from lactic.brain.layout import Layout


def test_parts_lie_in_order_and_can_be_left_out():
    whole = Layout(pose=3, command=0, fatigue=2)
    assert list(whole.items()) == [("pose", slice(0, 3)), ("command", slice(3, 3)), ("fatigue", slice(3, 5))]
    assert whole.size == 5 and whole.sizes == [3, 0, 2]
    left = whole.without("pose", "none such")
    assert left == Layout(command=0, fatigue=2) and left.size == 2
