// GraphHost
