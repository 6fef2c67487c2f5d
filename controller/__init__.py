"""What a table means: rulings, rules, the journal, the view, and the service that joins them."""
