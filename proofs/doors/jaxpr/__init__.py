"""The door for JAX programs: JAX traces them, with symbols for sizes; each primitive becomes nodes by one table."""
