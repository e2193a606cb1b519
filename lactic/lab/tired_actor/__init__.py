"""Tired Actor: one policy that follows a whole motion library while it tires. The library here is CMU's, not AMASS."""

WIDE = True
"""Pages have a line for each condition, a column for each metric."""
NOTE = """
Tired Actor is one policy that follows a whole motion library while it tires. Its code was never released; this is our
own. Ours differs from the paper's in this:

- **Library.** CMU's clips on the [humanoid](../library.md), not AMASS: 1234 to train with, two of DeepMimic's
  besides, and 90 to test with, where AMASS has 11,313 and 140. CIRCLE is not there. How it is made:
  `bench/cmu_library.py`.
- **Body.** Torque limits are an athlete's ([strength tables](../researchers.md#strength-tables)). The paper's are the
  largest torques that another controller ever asked for, so that most motions need less than a tenth of them. At its
  rates (2, 0.05, 1) a joint can give a load of 2.4 % for ever, one of 10 % for 5 s. A walk loads our hips, knees and
  ankles with about that. So fatigue by these rates ends in our body what it leaves untouched in the paper's. The
  brain's own rates are `human-30`, a person's, 30 times as fast. `table3` and `rates` collect limits as the paper
  does.
- **Following.** Motions run as recorded (`strict`), as in the paper, unless an item says otherwise. The brain can
  also let them wait.
- **Brains.** `actor` and its student `goals` ship. Others were trained for a few minutes each to be compared with
  each other, not with `actor`.

Numbers of `fresh` are without fatigue. A motion counts as followed (`success`) if the mean error of the bodies never
exceeds 0.5 m; errors are of the motions that were followed. The policy is deterministic, and each motion begins at
its first frame with the body on it. Where an item uses fewer motions than a split has, they are spread evenly over
it; n is in the CSV files. `MF 80%` is a body that has lost 80 % of its strength when a motion begins.
"""
