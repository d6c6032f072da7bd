interface RowError {
  row: number
  column: string | null
  rule: string
  value: unknown
  message: string
}

export interface Findings {
  errors: RowError[]
  byRule: Record<string, number>
  /** Numbers of the rows that are not valid, as the rows of a SELECT. */
  invalid: string
}
