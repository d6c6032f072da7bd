// Decision 0030: render pages on the server without a build step.

/** Text that is already markup. The `html` template escapes every other value. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | bigint | false | null | undefined | readonly Piece[]

/** Builds markup and escapes every inserted value, so that it is also safe inside quoted attributes. */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(parts.reduce((text, part, index) => text + renderPiece(pieces[index - 1]) + part))
}

function renderPiece(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map(renderPiece).join('')
  if (piece === false || piece === null || piece === undefined) return ''
  return escapeHtml(String(piece))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character]!)
}
