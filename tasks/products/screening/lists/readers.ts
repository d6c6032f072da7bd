import type { ListSource } from '../sources.ts'
import { readCsl } from './csl.ts'
import { readDfat } from './dfat.ts'
import { readEu } from './eu.ts'
import type { ListReader } from './files.ts'
import { readOfac } from './ofac.ts'
import { readSeco } from './seco.ts'
import { readSema } from './sema.ts'
import { readTargets } from './targets.ts'
import { readUk } from './uk.ts'
import { readUn } from './un.ts'

/** How the files of each format are read. */
export const READERS: Readonly<Record<ListSource['format'], ListReader>> = {
  ofac: readOfac,
  un: readUn,
  eu: readEu,
  uk: readUk,
  csl: readCsl,
  targets: readTargets,
  seco: readSeco,
  dfat: readDfat,
  sema: readSema,
}
