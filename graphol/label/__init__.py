"""Labels for your own graph: predict, what to ask next, a project, a page to label on."""
