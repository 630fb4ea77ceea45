"""How far exported weights may be from the learning rule that they implement: bounds with their derivation."""
