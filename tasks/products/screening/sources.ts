import type { Family } from './entity.ts'

/** How the file of a source is read; a file of that name is in `lists/`. */
type ListFormat = 'ofac' | 'un' | 'eu' | 'uk' | 'csl' | 'targets' | 'seco' | 'dfat' | 'sema'

/** A public list: where it comes from and how it is read. */
export interface ListSource {
  key: string
  title: string
  publisher: string
  families: readonly Family[]
  format: ListFormat
  /** The files that it consists of, by the names that they have in the folder of lists. */
  files: readonly { name: string; url?: string; optional?: boolean }[]
  /** What is needed beside the address. */
  needs?: string
  licence: string
}

const OFAC = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports'
const PUBLIC = 'Public information of its publisher.'

function ofac(key: string, title: string, names: readonly string[]): ListSource {
  const [main, ...others] = names
  const files = [
    { name: main!, url: `${OFAC}/${main!.toUpperCase()}` },
    ...others.map(name => ({ name, url: `${OFAC}/${name.toUpperCase()}` })),
  ]
  const publisher = 'US Department of the Treasury, OFAC'
  return { key, title, publisher, families: ['sanctions'], format: 'ofac', files, licence: PUBLIC }
}

export const SOURCES: readonly ListSource[] = [
  ofac('us_ofac_sdn', 'OFAC Specially Designated Nationals', ['sdn.csv', 'add.csv', 'alt.csv', 'sdn_comments.csv']),
  ofac('us_ofac_cons', 'OFAC Consolidated (non-SDN)', [
    'cons_prim.csv',
    'cons_add.csv',
    'cons_alt.csv',
    'cons_comments.csv',
  ]),
  {
    ...{ key: 'un_sc', title: 'UN Security Council Consolidated List', publisher: 'United Nations Security Council' },
    ...{ families: ['sanctions'], format: 'un', licence: PUBLIC },
    files: [{ name: 'un_consolidated.xml', url: 'https://scsanctions.un.org/resources/xml/en/consolidated.xml' }],
  },
  {
    ...{ key: 'eu_fsf', title: 'EU Consolidated Financial Sanctions', publisher: 'European Commission' },
    ...{ families: ['sanctions'], format: 'eu', licence: PUBLIC },
    files: [{ name: 'eu_fsf.xml' }],
    needs: 'a free token of the European Commission in its address',
  },
  {
    ...{ key: 'uk_fcdo', title: 'UK Sanctions List', publisher: 'UK Foreign, Commonwealth & Development Office' },
    ...{ families: ['sanctions'], format: 'uk', licence: 'Open Government Licence 3.0' },
    files: [{ name: 'UK-Sanctions-List.csv', url: 'https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv' }],
  },
  {
    ...{ key: 'ch_seco', title: 'Swiss SECO Sanctions', publisher: 'State Secretariat for Economic Affairs' },
    ...{ families: ['sanctions'], format: 'seco', licence: PUBLIC },
    files: [{ name: 'ch_seco.xml' }],
    needs: 'the address of its XML export',
  },
  {
    ...{ key: 'au_dfat', title: 'Australian Consolidated List', publisher: 'Department of Foreign Affairs and Trade' },
    ...{ families: ['sanctions'], format: 'dfat', licence: 'CC BY 4.0' },
    files: [{ name: 'au_dfat.csv' }],
    needs: 'its table saved as CSV, because it is published as a workbook',
  },
  {
    ...{ key: 'ca_sema', title: 'Canadian Autonomous Sanctions', publisher: 'Global Affairs Canada' },
    ...{ families: ['sanctions'], format: 'sema', licence: 'Open Government Licence - Canada' },
    files: [
      {
        name: 'ca_sema.xml',
        url: 'https://www.international.gc.ca/world-monde/assets/office_docs/international_relations-relations_internationales/sanctions/sema-lmes.xml',
      },
    ],
  },
  {
    ...{ key: 'us_csl', title: 'US Consolidated Screening List', publisher: 'US International Trade Administration' },
    ...{ families: ['sanctions'], format: 'csl', licence: PUBLIC },
    files: [
      {
        name: 'us_csl.csv',
        url: 'https://data.trade.gov/downloadable_consolidated_screening_list/v1/consolidated.csv',
      },
    ],
  },
  {
    ...{ key: 'opensanctions', title: 'OpenSanctions', publisher: 'OpenSanctions' },
    ...{ families: ['sanctions', 'pep'], format: 'targets', licence: 'CC BY-NC 4.0; business use needs their licence' },
    files: [{ name: 'opensanctions.targets.nested.json' }],
    needs: 'the address that comes with their licence',
  },
]

export const SAMPLE_KEY = 'sample'
/** Shown and stored as one list. */
export const SAMPLE_LIST = {
  key: SAMPLE_KEY,
  title: 'Sample of invented entries',
  families: ['sanctions', 'pep'] satisfies Family[],
}
/** Keys of uploaded lists: `custom:` and a uuid. */
export const OWN_PREFIX = 'custom:'

/** Without these, a search of the family is not full, whatever else is loaded. */
export const PRINCIPAL: Readonly<Partial<Record<Family, readonly string[]>>> = {
  sanctions: ['us_ofac_sdn', 'un_sc', 'eu_fsf', 'uk_fcdo'],
  pep: ['opensanctions'],
}

/** The lists that are refreshed where nothing else is set: those that anyone may fetch. */
export const DEFAULT_LISTS: readonly string[] = SOURCES.flatMap(({ key, files }) =>
  files.every(({ url }) => url !== undefined) ? [key] : [],
)

export function findSource(key: string): ListSource | undefined {
  return SOURCES.find(source => source.key === key)
}
