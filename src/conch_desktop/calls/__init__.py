"""Reading calls: what a model sent becomes what may run, or words it can act on."""
