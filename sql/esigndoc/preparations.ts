import type { ProblemData } from '#kit'
import type { FoundPlaces, PlaceSearch, StoredFile } from '../../tasks/products/esigndoc/document.ts'
import { type Db, value } from '../db.ts'
import type { PreparedFile } from './envelopes.ts'

export type PreparationRequest =
  | { kind: 'documents'; files: readonly StoredFile[]; search: PlaceSearch | null; fingerprint?: string }
  | { kind: 'image'; file: StoredFile }
  | { kind: 'verification'; file: StoredFile }

export interface Preparation<Result = unknown> {
  accountId: string
  request: PreparationRequest
  result: Result | null
  problem: ProblemData | null
}

export interface PreparedDocuments {
  files: PreparedFile[]
  found: FoundPlaces | null
}

/** Asks a worker to look at what is stored. */
export async function requestPreparation(
  db: Db,
  accountId: string,
  id: string,
  request: PreparationRequest,
): Promise<void> {
  await value(db, 'select esigndoc.request_preparation($1, $2, $3)', [accountId, id, JSON.stringify(request)])
}

/** What was asked for with the same fingerprint some minutes ago, if a call can take that; null if it cannot. */
export function findPreparation(db: Db, accountId: string, fingerprint: string): Promise<string | null> {
  return value(db, 'select esigndoc.find_preparation($1, $2)', [accountId, fingerprint])
}

/** Null after two hours. */
export function readPreparation<Result>(db: Db, id: string): Promise<Preparation<Result> | null> {
  return value(db, 'select esigndoc.read_preparation($1)', [id])
}

/** Records bytes that are about to be stored; unless something takes them over, they are removed two hours later. */
export async function reserveObject(db: Db, accountId: string, key: string, type: string): Promise<void> {
  await value(db, 'select esigndoc.reserve_object($1, $2, $3)', [accountId, key, type])
}

export interface AskedPage {
  file: number
  page: number
  width: number
}

/** A page as an image; its key is null while it is drawn, and the database notifies `waitsFor` then. */
export interface FoundPage {
  key: string | null
  waitsFor: string
}

/** Null: there is no such page. */
export function findPage(db: Db, envelopeId: string, { file, page, width }: AskedPage): Promise<FoundPage | null> {
  return value(db, 'select esigndoc.find_page($1, $2, $3, $4)', [envelopeId, file, page, width])
}

export function findTemplatePage(
  db: Db,
  { accountId, templateId }: { accountId: string; templateId: string },
  { file, page, width }: AskedPage,
): Promise<FoundPage | null> {
  return value(db, 'select esigndoc.find_template_page($1, $2, $3, $4, $5)', [accountId, templateId, file, page, width])
}
