"""What exists: resources, accounts and sessions in memory and in one SQLite file;
regions; errors as told."""
