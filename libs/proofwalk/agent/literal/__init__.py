"""The literal policy's former place. Programs outside of this repository import its
reading from here until the next release."""
