/** An image that is read as one picture; a GIF counts as a recording. */
export function isStillType(type: string): boolean {
  return type.startsWith('image/') && type !== 'image/gif'
}
