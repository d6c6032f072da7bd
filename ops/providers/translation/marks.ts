import type { TranslationService } from './contract.ts'

const MARK = /⟦(\d+)⟧/g

/** Writes marks so that the service leaves them alone; a text without any stays as it is. */
export function protectMarks(text: string, markup: TranslationService['markup']): string {
  if (markup === 'xml') return escapeMarkup(text).replace(MARK, '<x id="$1"/>')
  if (markup === 'html')
    return escapeMarkup(text)
      .replace(MARK, '<span translate="no" class="notranslate">⟦$1⟧</span>')
      .replaceAll('\n', '<br>')
  return text
}

export function restoreMarks(text: string, markup: TranslationService['markup']): string {
  if (markup === 'xml')
    return unescapeMarkup(text.replaceAll(/<x id="(\d+)"\s*(?:\/>|>\s*<\/x>)/g, (_, index: string) => `⟦${index}⟧`))
  if (markup === 'html') return unescapeMarkup(text.replaceAll(/<br ?\/?>/g, '\n').replaceAll(/<\/?span[^>]*>/g, ''))
  return text
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Services write characters as entities that were none. */
function unescapeMarkup(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi,
    (found, decimal, hexadecimal, name: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? found
      const code = decimal === undefined ? Number.parseInt(hexadecimal as string, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : found
    },
  )
}
