"""The learners, by what they are asked about."""
