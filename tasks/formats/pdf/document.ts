import type { Rect } from '../geometry/rect.ts'
import type { PdfMetadata } from './properties.ts'

/** A file inside a document, as the document describes it. */
export interface Attachment {
  name: string
  /** The number of the object that holds its bytes. */
  stream: number
  /** The size the document claims; the real size is known only after unpacking. */
  sizeBytes: number
  mimeType?: string
  description?: string
  /** In PDF's own date format. */
  created?: string
  modified?: string
  relationship?: string
  /** The page whose annotation holds the file, from 1. */
  page?: number
  /** MD5, in hexadecimal. */
  checksum?: string
}

/** How the document describes a file that is added to it. */
export interface NewAttachment {
  name: string
  mimeType: string
  description?: string
  relationship?: string
}

export interface Bookmark {
  title: string
  /** From 1; null for a heading without a target in the document. */
  page: number | null
  /** Points from the top edge of the page. */
  top?: number
  open: boolean
  bold: boolean
  italic: boolean
  color?: string
  children: Bookmark[]
}

export type NewBookmark = Pick<Bookmark, 'title' | 'top' | 'color'> &
  Partial<Pick<Bookmark, 'page' | 'open' | 'bold' | 'italic'>> & { children?: NewBookmark[] }

/** One use of an image on a page; the same image object may be drawn several times. */
export interface DrawnImage {
  page: number
  /** Position among everything that the page draws, masks included. */
  drawIndex: number
  /** A stencil is painted with the current fill colour. */
  kind: 'image' | 'stencil'
  width: number
  height: number
  /** Poppler's name of the colour space: gray, rgb, cmyk, lab, icc, index, sep, devn, or - for a stencil. */
  color: string
  bits: number
  /** Missing for an inline image, which is part of the page's content stream. */
  object?: [number: number, generation: number]
  dpi: number
}

/** Points, before the page is rotated. */
export type PageBox = readonly [left: number, bottom: number, width: number, height: number]

export interface PageBoxes {
  media: PageBox
  crop: PageBox
  rotate: number
  userUnit: number
}

/** An area of one page, in points from the top left corner of the page as it is displayed. */
export interface PageRegion {
  page: number
  box: Rect
}

/** The value of a form field, as a caller gives it. */
export type FieldValue = string | number | boolean | readonly string[] | null

/** The standards a document claims to follow: the level of PDF/A, such as `2b`, and the part of PDF/UA. */
export interface ConformanceClaims {
  pdfa?: string
  pdfua?: string
}

export interface DocumentFacts {
  /** The entries of the information dictionary; dates are in PDF's own format. */
  info?: Record<string, string>
  xmp?: string
  /** Those properties of the XMP packet that the information dictionary can hold too. */
  xmpProperties: PdfMetadata
  claims: ConformanceClaims
  language?: string
  version: string
  isLinearized: boolean
  isTagged: boolean
  pageBoxes: PageBoxes[]
  fields: number
  hasXfa: boolean
  hasJavaScript: boolean
  attachments: number
  bookmarks: number
}

/** What is to be removed from a document besides its content. */
export interface SanitizePlan {
  javascript: boolean
  actions: boolean
  links: boolean
  files: boolean
  media: boolean
  xfa: boolean
  metadata: boolean
}

export type SanitizeCounts = Record<keyof SanitizePlan, number>
