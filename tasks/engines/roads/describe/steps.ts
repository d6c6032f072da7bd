import type { Step } from '../answer.ts'
import type { RoadGraph } from '../graph.ts'
import type { LatLng } from '../sphere.ts'
import { type Maneuver, phraseStep } from './phrases.ts'
import { bearingOfEnd, bearingOfStart, type Piece } from './pieces.ts'

const STRAIGHT_DEGREES = 25
const SLIGHT_DEGREES = 55
const SHARP_DEGREES = 125
const UTURN_DEGREES = 170
/** On a road of one name a bend is no turn until here. */
const SAME_ROAD_DEGREES = 50

interface Draft {
  maneuver: Maneuver
  name: string
  exit: number
  pieces: Piece[]
}

/** Divides a leg into steps: a new one begins where a driver has to do or know something. */
export function listSteps(graph: RoadGraph, pieces: readonly Piece[], seconds: Float32Array, language: string): Step[] {
  const [first] = pieces
  if (!first) return []
  const drafts: Draft[] = [{ maneuver: 'depart', name: first.name, exit: 1, pieces: [first] }]
  for (const [index, piece] of pieces.slice(1).entries()) {
    const before = pieces[index]!
    const open = drafts.at(-1)!
    const maneuver = chooseManeuver(graph, before, piece, seconds)
    if (maneuver) drafts.push({ maneuver, name: piece.kind.isRoundabout ? '' : piece.name, exit: 1, pieces: [piece] })
    else {
      open.pieces.push(piece)
      if (before.kind.isRoundabout) passExit(graph, open, before, piece, seconds)
    }
  }
  const end = pieces.at(-1)!
  const arrival: Draft = { maneuver: 'arrive', name: end.name, exit: 0, pieces: [] }
  return [...drafts, arrival].map(draft => showStep(draft, draft.pieces[0]?.points[0] ?? end.points.at(-1)!, language))
}

function showStep({ maneuver, name, exit, pieces }: Draft, location: LatLng, language: string): Step {
  const [first] = pieces
  const bearing = first ? bearingOfStart(first) : 0
  return {
    ...{ maneuver, instruction: phraseStep(maneuver, { name, exit, bearing }, language), name, location },
    distanceM: Math.round(pieces.reduce((sum, piece) => sum + piece.distanceM, 0)),
    durationSec: Math.round(pieces.reduce((sum, piece) => sum + piece.durationSec, 0)),
  }
}

/** Counts the exits of a roundabout that are passed; the road after the last one names the step. */
function passExit(graph: RoadGraph, open: Draft, before: Piece, piece: Piece, seconds: Float32Array): void {
  if (!piece.kind.isRoundabout) {
    if (open.maneuver === 'roundabout') open.name = piece.name
    return
  }
  const exits = listWaysOn(graph, before, seconds).filter(edge => !graph.kinds[graph.kind[edge]!]!.isRoundabout)
  open.exit += Math.min(1, exits.length)
}

/** The edges that lead on from the end of a piece. */
function listWaysOn(graph: RoadGraph, { edge, endNode }: Piece, seconds: Float32Array): number[] {
  const { first, arc, arcKind } = graph
  if (endNode === undefined) return []
  const arcs = Array.from({ length: first[endNode + 1]! - first[endNode]! }, (_, index) => first[endNode]! + index)
  return arcs.filter(at => seconds[arcKind[at]!]! < Infinity && arc[at]! >> 1 !== edge).map(at => arc[at]! >> 1)
}

function chooseManeuver(graph: RoadGraph, before: Piece, after: Piece, seconds: Float32Array): Maneuver | undefined {
  if (before.kind.isRoundabout) return undefined
  if (after.kind.isRoundabout) return 'roundabout'
  if (after.kind.highway === 'ferry') return before.kind.highway === 'ferry' ? undefined : 'ferry'
  const [wasLink, isLink] = [before, after].map(({ kind }) => /^(motorway|trunk)_link$/.test(kind.highway))
  if (isLink) return wasLink ? undefined : 'ramp'
  if (wasLink && /^(motorway|trunk)$/.test(after.kind.highway)) return 'merge'
  return chooseTurn(before, after, listWaysOn(graph, before, seconds).length)
}

function chooseTurn(before: Piece, after: Piece, choices: number): Maneuver | undefined {
  const angle = ((bearingOfStart(after) - bearingOfEnd(before) + 540) % 360) - 180
  const bend = Math.abs(angle)
  if (before.edge === after.edge || bend > UTURN_DEGREES) return 'uturn'
  const isSameRoad = before.name === after.name
  if (choices <= 1 || bend < STRAIGHT_DEGREES) return isSameRoad || after.name === '' ? undefined : 'continue'
  if (isSameRoad && after.name !== '' && bend < SAME_ROAD_DEGREES) return undefined
  const side = angle < 0 ? 'left' : 'right'
  if (bend < SLIGHT_DEGREES) return `turn-slight-${side}`
  return bend > SHARP_DEGREES ? `turn-sharp-${side}` : `turn-${side}`
}
