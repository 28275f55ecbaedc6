"""The organ that talks to chat models; importing it loads nothing else."""
