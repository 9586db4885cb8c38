// SluiceServer
