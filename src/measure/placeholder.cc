namespace wattune {}
