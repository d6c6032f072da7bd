import { parentPort, workerData } from 'node:worker_threads'
import type { PlainEntry } from './calls.ts'
import { type ClientSettings, makePackages } from './packages.ts'

const { entries, settings } = workerData as { entries: PlainEntry[]; settings: ClientSettings }
parentPort!.postMessage(await makePackages(entries, settings))
