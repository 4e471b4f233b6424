"""What a package says of itself: name, makers, licence, README, and a neutral name and description made from them."""
