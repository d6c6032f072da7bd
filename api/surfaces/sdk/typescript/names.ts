/** `pdf.extract-text` is the method `extractText` of `pdf`. */
export function methodNameOf({ name, family }: { name: string; family: string }): string {
  return name.slice(family.length + 1).replaceAll(/-(.)/g, (_all, letter: string) => letter.toUpperCase())
}
