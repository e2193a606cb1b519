"""Pictures of what happened: recordings, the painter, films, strips and plots."""
