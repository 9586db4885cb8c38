// CEL
