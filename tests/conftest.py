"""One Hypothesis profile for all tests: seeded, without deadlines, failures printed so that they can be replayed."""

from hypothesis import settings

settings.register_profile(
    "seeded", deadline=None, derandomize=True, print_blob=True, max_examples=25
)
settings.load_profile("seeded")
