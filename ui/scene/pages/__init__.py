"""Pages over the table laid out: what each says (`looking_back`, `house`, `devices`), how a sheet of lines or cards is
laid out (`sheet`), the keyboard for names (`keyboard`), and which of them is there (`face`)."""

from ui.scene.pages.face import page_face
from ui.scene.pages.sheet import PageFace, PageText

__all__ = ["PageFace", "PageText", "page_face"]
