#include "../CHiredis/shim.h"
#include <hiredis/hiredis_ssl.h>
