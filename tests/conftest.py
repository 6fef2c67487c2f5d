"""What all tests share."""

from hypothesis import HealthCheck, settings

# A machine that is busy is no fault of the code: examples have no deadline, and slow ones are no failure.
settings.register_profile("table", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("table")
