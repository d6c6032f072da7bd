export const MANEUVERS = [
  ...['depart', 'arrive', 'continue', 'turn-left', 'turn-right', 'turn-slight-left', 'turn-slight-right'],
  ...['turn-sharp-left', 'turn-sharp-right', 'uturn', 'roundabout', 'ramp', 'merge', 'ferry'],
] as const as readonly [
  ...['depart', 'arrive', 'continue', 'turn-left', 'turn-right', 'turn-slight-left', 'turn-slight-right'],
  ...['turn-sharp-left', 'turn-sharp-right', 'uturn', 'roundabout', 'ramp', 'merge', 'ferry'],
]

export type Maneuver = (typeof MANEUVERS)[number]

interface Facts {
  name: string
  /** Of a roundabout. */
  exit: number
  /** In degrees, for the start. */
  bearing: number
}

interface Phrases {
  /** From north, clockwise. */
  directions: readonly string[]
  plain: Readonly<Record<Exclude<Maneuver, 'depart' | 'roundabout'>, string>>
  depart(direction: string): string
  roundabout(exit: number): string
  onto(text: string, name: string): string
}

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    directions: ['north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'],
    plain: {
      ...{ arrive: 'Arrive at the waypoint', continue: 'Continue', uturn: 'Make a U-turn', ramp: 'Take the ramp' },
      ...{ 'turn-left': 'Turn left', 'turn-right': 'Turn right', merge: 'Merge', ferry: 'Take the ferry' },
      ...{ 'turn-slight-left': 'Turn slightly left', 'turn-slight-right': 'Turn slightly right' },
      ...{ 'turn-sharp-left': 'Turn sharply left', 'turn-sharp-right': 'Turn sharply right' },
    },
    depart: direction => `Head ${direction}`,
    roundabout: exit => `At the roundabout take exit ${exit}`,
    onto: (text, name) => `${text} onto ${name}`,
  },
  de: {
    directions: ['Norden', 'Nordosten', 'Osten', 'Südosten', 'Süden', 'Südwesten', 'Westen', 'Nordwesten'],
    plain: {
      ...{ arrive: 'Wegpunkt erreicht', continue: 'Weiterfahren', uturn: 'Wenden', ramp: 'Die Auffahrt nehmen' },
      ...{
        'turn-left': 'Links abbiegen',
        'turn-right': 'Rechts abbiegen',
        merge: 'Einfädeln',
        ferry: 'Die Fähre nehmen',
      },
      ...{ 'turn-slight-left': 'Leicht links abbiegen', 'turn-slight-right': 'Leicht rechts abbiegen' },
      ...{ 'turn-sharp-left': 'Scharf links abbiegen', 'turn-sharp-right': 'Scharf rechts abbiegen' },
    },
    depart: direction => `Nach ${direction} starten`,
    roundabout: exit => `Im Kreisverkehr die ${exit}. Ausfahrt nehmen`,
    onto: (text, name) => `${text}: ${name}`,
  },
  fr: {
    directions: ['nord', 'nord-est', 'est', 'sud-est', 'sud', 'sud-ouest', 'ouest', 'nord-ouest'],
    plain: {
      ...{ arrive: 'Vous êtes arrivé', continue: 'Continuez', uturn: 'Faites demi-tour', ramp: 'Prenez la bretelle' },
      ...{
        'turn-left': 'Tournez à gauche',
        'turn-right': 'Tournez à droite',
        merge: 'Insérez-vous',
        ferry: 'Prenez le ferry',
      },
      ...{ 'turn-slight-left': 'Tournez légèrement à gauche', 'turn-slight-right': 'Tournez légèrement à droite' },
      ...{ 'turn-sharp-left': 'Tournez franchement à gauche', 'turn-sharp-right': 'Tournez franchement à droite' },
    },
    depart: direction => `Partez vers le ${direction}`.replace(/le (?=est|ouest)/, "l'"),
    roundabout: exit => `Au rond-point, prenez la sortie ${exit}`,
    onto: (text, name) => `${text} sur ${name}`,
  },
  es: {
    directions: ['norte', 'noreste', 'este', 'sureste', 'sur', 'suroeste', 'oeste', 'noroeste'],
    plain: {
      ...{ arrive: 'Ha llegado', continue: 'Continúe', uturn: 'Dé la vuelta', ramp: 'Tome la vía de acceso' },
      ...{
        'turn-left': 'Gire a la izquierda',
        'turn-right': 'Gire a la derecha',
        merge: 'Incorpórese',
        ferry: 'Tome el ferry',
      },
      ...{
        'turn-slight-left': 'Gire ligeramente a la izquierda',
        'turn-slight-right': 'Gire ligeramente a la derecha',
      },
      ...{ 'turn-sharp-left': 'Gire bruscamente a la izquierda', 'turn-sharp-right': 'Gire bruscamente a la derecha' },
    },
    depart: direction => `Diríjase al ${direction}`,
    roundabout: exit => `En la rotonda, tome la salida ${exit}`,
    onto: (text, name) => `${text} por ${name}`,
  },
}

export const INSTRUCTION_LANGUAGES = ['en', 'de', 'es', 'fr'] as const

export function phraseStep(maneuver: Maneuver, { name, exit, bearing }: Facts, language: string): string {
  const phrases = PHRASES[language] ?? PHRASES.en!
  const text =
    maneuver === 'depart'
      ? phrases.depart(phrases.directions[Math.round(bearing / 45) % 8]!)
      : maneuver === 'roundabout'
        ? phrases.roundabout(exit)
        : phrases.plain[maneuver]
  return name === '' || maneuver === 'arrive' || maneuver === 'uturn' ? text : phrases.onto(text, name)
}
