/**
 * The first words of our own paths and tools that are no family of operations and no product. A test compares them with the
 * catalogue.
 */
const PLATFORM_WORDS = new Set(
  'account audit auth barcode billing capabilities changelog chat cputools embeddings job jobs llm models notifications office outputs pipelines prices qr search status system x402'.split(
    ' ',
  ),
)

/** A plugin never takes the place of something of ours, so it has a family of its own. `ours` are those that are found. */
export function isReservedFamily(family: string, ours: ReadonlySet<string>): boolean {
  return PLATFORM_WORDS.has(family) || ours.has(family)
}
