import type { Tags } from '../../formats/osm/element.ts'
import { type Avoidable, MODE_BIT } from './mode.ts'

/** What all stretches of road with the same rules share: few hundred of them describe a country. */
export interface RoadKind {
  /** The value of `highway`, or `ferry`. */
  highway: string
  /** Bits of the modes that may go along the stretch, and against it. */
  forward: number
  backward: number
  /** Of cars, and of ferries for all. */
  speedKmh: number
  isSlow: boolean
  isRoundabout: boolean
  /** What a caller may avoid. */
  has: Avoidable[]
}

/** Cars' usual speeds where no limit is posted. */
const CAR_SPEEDS: Readonly<Record<string, number>> = {
  ...{ motorway: 110, trunk: 90, primary: 70, secondary: 60, tertiary: 50, unclassified: 40, residential: 30 },
  ...{ motorway_link: 60, trunk_link: 50, primary_link: 45, secondary_link: 40, tertiary_link: 35, road: 35 },
  ...{ living_street: 10, service: 15, track: 15 },
}
/** Where cars do not go unless it is said that they may. */
const NO_CARS = ['track', 'footway', 'path', 'pedestrian', 'cycleway', 'bridleway', 'steps']
const NO_BIKES = ['footway', 'pedestrian', 'bridleway', 'steps']
const HIGHWAYS = [...Object.keys(CAR_SPEEDS), ...NO_CARS]
const MOTORWAYS = ['motorway', 'motorway_link']
const FERRY_KMH = 15
/** A fast driver is not as fast as the limit for long. */
const SHARE_OF_LIMIT = 0.85
const MAX_KMH = 130
const KMH_OF_MILE = 1.609344

const CLOSED = ['no', 'private', 'agricultural', 'forestry', 'military', 'restricted', 'use_sidepath', 'emergency']
/** Open to those who have an errand there, so no shortcut. */
const SLOW = ['destination', 'customers', 'delivery', 'permit', 'residents']
const OPEN = ['yes', 'designated', 'permissive', 'official', ...SLOW]
const UNPAVED =
  /^(unpaved|gravel|fine_gravel|dirt|earth|ground|grass|mud|sand|pebblestone|compacted|clay|rock|woodchips|snow|ice)$/
const YES = ['yes', 'true', '1']

/** What truck is meant: 12 tonnes and 4 metres high. */
const TRUCK = { tonnes: 12, heightM: 4 }

/** Whether a way is one that the graph keeps at all. */
export function isRoad({ highway, route, area }: Tags): boolean {
  return area !== 'yes' && (route === 'ferry' || (highway !== undefined && HIGHWAYS.includes(highway)))
}

/** Reads the rules of a road from the tags of its way; undefined if no mode may use it. `lengthM` is that of the way. */
export function readRoadKind(tags: Tags, lengthM: number): RoadKind | undefined {
  const isFerry = tags.route === 'ferry'
  const highway = isFerry ? 'ferry' : tags.highway!
  const isRoundabout = tags.junction === 'roundabout' || tags.junction === 'circular'
  const oneway = readOneway(tags, highway, isRoundabout)
  const kind: RoadKind = {
    highway,
    ...readAccess(tags, highway, oneway),
    speedKmh: isFerry ? readFerrySpeed(tags, lengthM) : readCarSpeed(tags, highway),
    isSlow: [tags.access, tags.vehicle, tags.motor_vehicle, tags.motorcar].some(value => SLOW.includes(value ?? '')),
    isRoundabout,
    has: listAvoidable(tags, highway),
  }
  return kind.forward || kind.backward ? kind : undefined
}

function readAccess(tags: Tags, highway: string, oneway: number): Pick<RoadKind, 'forward' | 'backward'> {
  const cars = allowsCars(tags, highway) ? MODE_BIT.drive | (allowsTrucks(tags) ? MODE_BIT.truck : 0) : 0
  const bikes = allowsBikes(tags, highway) ? MODE_BIT.bike : 0
  const feet = allowsFeet(tags, highway) ? MODE_BIT.walk : 0
  const isFreeForBikes = tags['oneway:bicycle'] === 'no' || tags.cycleway?.startsWith('opposite')
  const bikeOneway = isFreeForBikes ? 0 : oneway
  const open = (direction: number) =>
    feet | (oneway * direction >= 0 ? cars : 0) | (bikeOneway * direction >= 0 ? bikes : 0)
  return { forward: open(1), backward: open(-1) }
}

/** The first of the tags that is there decides; without any, the kind of road does. */
function decide(tags: Tags, keys: readonly string[], usual: boolean): boolean {
  const value = keys.map(key => tags[key]).find(found => found !== undefined)
  if (value === undefined) return usual
  return CLOSED.includes(value) ? false : usual || OPEN.includes(value)
}

function allowsCars(tags: Tags, highway: string): boolean {
  if (highway === 'ferry') return decide(tags, ['motorcar', 'motor_vehicle', 'vehicle'], false)
  const usual = !NO_CARS.includes(highway)
  const keys = ['motorcar', 'motor_vehicle', 'vehicle']
  return decide(tags, usual ? [...keys, 'access'] : keys, usual)
}

function allowsTrucks(tags: Tags): boolean {
  const [tonnes, heightM] = [tags.maxweight, tags.maxheight].map(value => Number.parseFloat(value ?? ''))
  return decide(tags, ['hgv', 'goods'], true) && !(tonnes! < TRUCK.tonnes) && !(heightM! < TRUCK.heightM)
}

function allowsBikes(tags: Tags, highway: string): boolean {
  const usual = !NO_BIKES.includes(highway) && !MOTORWAYS.includes(highway) && tags.motorroad !== 'yes'
  return decide(tags, ['bicycle', ...(highway === 'cycleway' ? [] : ['vehicle', 'access'])], usual)
}

function allowsFeet(tags: Tags, highway: string): boolean {
  const usual =
    !MOTORWAYS.includes(highway) && tags.motorroad !== 'yes' && (highway !== 'cycleway' || Boolean(tags.foot))
  return decide(tags, ['foot', 'access'], usual)
}

/** 1 if only along the way, -1 if only against it, 0 if both. */
function readOneway({ oneway }: Tags, highway: string, isRoundabout: boolean): number {
  if (oneway === '-1' || oneway === 'reverse') return -1
  if (oneway === 'no') return 0
  return YES.includes(oneway ?? '') || isRoundabout || highway === 'motorway' ? 1 : 0
}

function readCarSpeed(tags: Tags, highway: string): number {
  const usual = CAR_SPEEDS[highway] ?? 10
  const limit = readLimit(tags.maxspeed)
  const speed = limit === undefined ? usual : Math.min(MAX_KMH, limit) * SHARE_OF_LIMIT
  const capped = UNPAVED.test(tags.surface ?? '') ? Math.min(speed, 35) : speed
  return Math.max(5, Math.round(capped))
}

function readLimit(text: string | undefined): number | undefined {
  if (text === 'none') return MAX_KMH
  if (text === 'walk') return 7
  const match = /^(\d{1,3}(?:\.\d+)?)\s*(mph|km\/h|kmh)?$/.exec(text ?? '')
  if (!match) return undefined
  return Number(match[1]) * (match[2] === 'mph' ? KMH_OF_MILE : 1)
}

function readFerrySpeed({ duration }: Tags, lengthM: number): number {
  const match = /^(?:(\d{1,3}):)?(\d{1,3})(?::(\d\d))?$/.exec(duration ?? '')
  const seconds = match ? Number(match[1] ?? 0) * 3_600 + Number(match[2]) * 60 + Number(match[3] ?? 0) : 0
  if (seconds === 0 || lengthM === 0) return FERRY_KMH
  return Math.min(80, Math.max(1, Math.round((lengthM / seconds) * 3.6)))
}

function listAvoidable(tags: Tags, highway: string): Avoidable[] {
  const found: Avoidable[] = []
  if (YES.includes(tags.toll ?? '')) found.push('tolls')
  if (highway === 'ferry') found.push('ferries')
  if (MOTORWAYS.includes(highway)) found.push('highways')
  if (UNPAVED.test(tags.surface ?? '') || (highway === 'track' && !tags.surface && tags.tracktype !== 'grade1'))
    found.push('unpaved')
  return found
}
