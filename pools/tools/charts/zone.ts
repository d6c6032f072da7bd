/** Sets the zone of this process. Vega takes that of its dates, and knows no other way. */
export function setZone(timezone: string): void {
  // biome-ignore lint/style/noProcessEnv: nothing is read; V8 takes the zone of a process from here alone.
  process.env.TZ = timezone
}
