"""Nautobot's settings: its own from the environment (console.sh), and the requests
with their user as JSON lines in REQUESTS, of which record.py tells what was seen."""

import os

from nautobot.core.settings import *  # noqa: F403
from nautobot.core.settings import INSTALLED_APPS, LOGGING, MIDDLEWARE
from nautobot.core.settings_funcs import setup_structlog_logging

SECRET_KEY = os.environ["NAUTOBOT_SECRET_KEY"]
INSTALLATION_METRICS_ENABLED = False
setup_structlog_logging(
    LOGGING, INSTALLED_APPS, MIDDLEWARE, log_level="WARNING", root_level="WARNING"
)
DJANGO_STRUCTLOG_USER_ID_FIELD = "username"
LOGGING["handlers"]["requests"] = {
    "class": "logging.FileHandler",
    "filename": os.environ["REQUESTS"],
    "formatter": "default_formatter",
    "delay": True,
}
LOGGING["loggers"]["django_structlog"] = {
    "handlers": ["requests"],
    "level": "INFO",
    "propagate": False,
}
