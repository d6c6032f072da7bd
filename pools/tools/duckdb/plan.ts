import type { Warning } from '#kit'
import type { OutDialect } from '../../../tasks/formats/tables/dialect.ts'
import type { TableFormat, TableSettings } from '../../../tasks/formats/tables/steps/input.ts'
import type { WorkbookOptions } from './write/workbook.ts'

/** One of the files of a call, as the child process finds it. */
export interface SourceTable {
  /** Position among the files of the call. */
  file: number
  type: string
  fileName?: string
  settings: TableSettings
  /** For workbooks: which part of a sheet is read and how. */
  sheet?: SheetOptions
}

export interface SheetOptions {
  range?: string
  headerRow: number
  values: 'value' | 'formatted' | 'formula'
  dates: 'iso' | 'serial'
  mergeFill: boolean
  skipHidden: boolean
  /** The header is the first row that is not blank. */
  skipsBlankStart?: boolean
  /** A sheet that is no table is left out, unless all are. */
  mayBeLeftOut?: boolean
}

export interface StepCall {
  id: string
  op: string
  /** Names of tables or ids of earlier steps, by the role that they have in the step. */
  inputs: Record<string, string>
  params: unknown
}

export interface OutputCall {
  from: string
  /** For a workbook of several sheets. */
  workbook?: { sheets: { name: string; from: string }[]; options: WorkbookOptions }
  /** Left out: the format of the first table. */
  format?: TableFormat
  outCsv: OutDialect
  preview: number
}

export interface Plan {
  tables: Record<string, SourceTable>
  steps: StepCall[]
  outputs: OutputCall[]
  /** Only find out which columns the steps make; nothing is written. */
  isDescription?: boolean
  memoryMb: number
  spillMb: number
  /** Left out: as long as the job may take. */
  limitMs?: number
}

export interface StepReport {
  id: string
  rowsIn: number
  rowsOut: number
  columns: { name: string; type: string }[]
  facts: Record<string, unknown>
  warnings: Warning[]
  ms: number
}

export interface OutputReport {
  /** The table or the step that was written. */
  from: string
  format: TableFormat
  rows: number
  columns: { name: string; type: string }[]
  preview: Record<string, unknown>[]
  /** Of the file that was written, among all of the call. */
  file: number
}

export interface PlanReport {
  steps: StepReport[]
  outputs: OutputReport[]
  warnings: Warning[]
  spilledFiles: string[]
  /** The names of all sheets, if the first table came from a workbook. */
  sheets?: readonly string[]
}
