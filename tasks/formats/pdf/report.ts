/** Strokes of a pen: lists of points in the units of `width` and `height`, from the top left. */
export interface PenDrawing {
  width: number
  height: number
  strokes: readonly (readonly (readonly [x: number, y: number])[])[]
}

/** What is drawn into a place: an image is named by its position among the assets, from 1. */
export type Drawing =
  | { kind: 'text'; text: string; isBold?: boolean }
  | { kind: 'check'; isChecked: boolean; isRound: boolean }
  | { kind: 'pen'; pen: PenDrawing }
  | { kind: 'handwriting'; text: string }
  | { kind: 'image'; asset: number }
  /** A line at the lower edge, to sign on. */
  | { kind: 'rule' }

/** A label with its value; `isCode` sets hashes and the like in small letters. */
export interface ReportRow {
  label: string
  value: string
  isCode?: boolean
}

/** A part of a report, from top to bottom. */
export type ReportPart =
  | { kind: 'title'; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  | ({ kind: 'row' } & ReportRow)
  /** They stay on one page, if one has room for them. */
  | { kind: 'group'; rows: readonly ReportRow[] }
  | { kind: 'drawing'; label: string; drawing: Drawing }

/** Pages of text that are appended to a document, or are one. `{page}` and `{pages}` in the footer are replaced. */
export interface Report {
  parts: readonly ReportPart[]
  footer: string
  /** Of the title and headings. */
  color: string
}
