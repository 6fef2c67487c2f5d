"""What stands on the table: chips, spots, sweeps, buttons, lamps and badges."""
