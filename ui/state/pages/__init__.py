"""What is opened over the table and looked at: the last hands, alerts, accounts, the table's games, its devices; and
the keyboard for names.
"""
