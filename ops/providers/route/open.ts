import type { Router } from './contract.ts'
import { EmbeddedRouter, type RoadSource } from './embedded.ts'

export function openRouter(source: RoadSource): Router {
  return new EmbeddedRouter(source)
}
