/** The beginning of a text that is longer than a receiver takes. No character is cut in two: half a one is refused by receivers. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : text
}
