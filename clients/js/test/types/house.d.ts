// As `sluice types house --for ts` writes it.
import "sluice-client";

declare module "sluice-client" {
  interface Graphs {
    house: {
      "indoor_c": number;
      "mode": "eco" | "off";
      readonly "indoor_f": number;
      [id: `sensor.${string}.celsius`]: number;
    };
  }
}
