"""The real engine on pretended clusters, with a made clock."""
