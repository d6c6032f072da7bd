/** How one travels, and the bit of each in what roads allow. */
export const MODES = ['drive', 'walk', 'bike', 'truck'] as const

export type Mode = (typeof MODES)[number]

export const MODE_BIT: Readonly<Record<Mode, number>> = { drive: 1, walk: 2, bike: 4, truck: 8 }

export const AVOIDABLE = ['tolls', 'ferries', 'highways', 'unpaved'] as const

export type Avoidable = (typeof AVOIDABLE)[number]
