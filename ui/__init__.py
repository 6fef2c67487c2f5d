"""The dealer's touchscreen: a view of the table drawn, touches sent. Knows `controller.view` and its words only."""
