import { Faker } from '@faker-js/faker'
import { LAST_NAME_FIRST, PHONES } from '../../../tasks/engines/mock/locales.ts'
import { MAIL_HOSTS } from '../../../tasks/engines/mock/table.ts'
import type { Source } from '../../../tasks/engines/mock/values.ts'
import { SeededRandom } from '../../../tasks/formats/random/seeded.ts'

const WEB_HOSTS = ['example.com', 'example.net', 'example.org']
/** Numbers that networks of cards give out for tests begin so. */
const TEST_CARDS = ['411111', '424242', '555555', '510510']

/** Names, places and words of a language, chosen by one stream of random numbers. */
export async function openSource(locale: string): Promise<Source> {
  const { faker: known } = (await import(`@faker-js/faker/locale/${locale}`)) as { faker: Faker }
  const random = new SeededRandom()
  const randomizer = { next: () => random.next(), seed: () => undefined }
  const { person, internet, location, company, commerce, finance, lorem } = new Faker({
    locale: known.rawDefinitions,
    randomizer,
  })
  const phones = PHONES[locale] ?? PHONES[locale.split('_')[0]!] ?? PHONES.en!
  const toUsername = (firstName: string, lastName: string) =>
    internet
      .username({ firstName, lastName })
      .toLowerCase()
      .replace(/[^a-z0-9._-]/g, '') || 'user'
  const drawUsername = () => toUsername(person.firstName(), person.lastName())
  const drawDomain = () => `${toLabel(internet.domainWord())}.${random.pick(WEB_HOSTS)}`
  const fillDigits = (pattern: string) => pattern.replaceAll('#', () => String(random.integer(0, 9)))
  const space = LAST_NAME_FIRST[locale]
  return {
    random,
    toUsername,
    toFullName: (first, last) => (space === undefined ? `${first} ${last}` : last + space + first),
    drawn: {
      firstName: () => person.firstName(),
      lastName: () => person.lastName(),
      fullName: () => person.fullName(),
      jobTitle: () => person.jobTitle(),
      username: drawUsername,
      email: () => `${drawUsername()}@${random.pick(MAIL_HOSTS)}`,
      phone: () => fillDigits(random.pick(phones)),
      street: () => location.streetAddress(),
      city: () => location.city(),
      postcode: () => location.zipCode(),
      state: () => location.state(),
      country: () => location.country(),
      countryCode: () => location.countryCode('alpha-2'),
      company: () => company.name(),
      department: () => commerce.department(),
      product: () => commerce.productName(),
      currency: () => finance.currencyCode(),
      iban: () => finance.iban(),
      creditCard: () => addCheckDigit(fillDigits(`${random.pick(TEST_CARDS)}#########`)),
      domain: drawDomain,
      url: () => `https://${drawDomain()}/${toLabel(lorem.word())}`,
      userAgent: () => internet.userAgent(),
      word: () => lorem.word(),
      sentence: () => lorem.sentence(),
      paragraph: () => lorem.paragraph(),
    },
  }
}

function toLabel(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9-]/g, '')
      .replace(/^-+|-+$/g, '') || 'site'
  )
}

function addCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}
