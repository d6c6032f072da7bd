export type Tags = Readonly<Record<string, string>>

export interface OsmWay {
  tags: Tags
  /** Ids of its nodes, in order. They go beyond 32 bits, not beyond what a number holds exactly. */
  nodes: number[]
}

/** What is wanted of an extract; the others are skipped unread where that is possible. */
export interface OsmVisitor {
  way?(way: OsmWay): void
  node?(id: number, lat: number, lng: number): void
}

/** The file is not what it claims to be, or is damaged. */
export class OsmParseError extends Error {
  override readonly name = 'OsmParseError'
}
