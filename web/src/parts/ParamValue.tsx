import { layersOf } from '../lib/architecture';
import { shortValue, valueText } from '../lib/params';
import { Architecture } from './Architecture';

/** One value of a parameter: layers are drawn. `whole`: numbers with all their digits. */
export function ParamValue({ value, whole = false }: { value: unknown; whole?: boolean }) {
  const layers = layersOf(value);
  return layers ? <Architecture layers={layers} /> : whole ? valueText(value) : shortValue(value);
}
