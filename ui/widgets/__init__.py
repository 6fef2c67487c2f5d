"""What is painted: Kivy widgets that take a scene and look like it. They decide nothing."""
