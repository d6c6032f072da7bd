export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

/** Measured from the top left corner. */
export interface Region extends Point, Size {}

/** The width of a border on each side. */
export interface Insets {
  top: number
  right: number
  bottom: number
  left: number
}
