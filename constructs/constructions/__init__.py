"""The parameters that the sources print for their propositions, with named corrections beside them."""
