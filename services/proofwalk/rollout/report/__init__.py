"""Reports of finished verifications: `page` renders one as a self-contained HTML
file."""
