const FONT = 'Noto Sans, DejaVu Sans, sans-serif'
const INK = '#e8e8e8'

export function buildConfig({
  isDark,
  background,
  palette,
}: {
  isDark: boolean
  background?: string
  palette?: string[]
}) {
  const dark = {
    axis: { labelColor: INK, titleColor: INK, gridColor: '#3a3f47', domainColor: '#888888', tickColor: '#888888' },
    legend: { labelColor: INK, titleColor: INK },
    title: { color: INK, subtitleColor: INK },
    text: { color: INK },
    view: { stroke: '#3a3f47' },
  }
  const ramp = palette && palette.length > 1 ? { heatmap: palette, ramp: palette } : {}
  const range = palette ? { range: { category: palette, ...ramp }, mark: { color: palette[0] } } : {}
  return { font: FONT, background: background ?? (isDark ? '#16191d' : '#ffffff'), ...(isDark && dark), ...range }
}

/** How numbers and dates are written in a language, as Vega takes it. */
export function describeLocale(locale: string) {
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2023, month, 15)))
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2023, 0, 1 + day)))
  const names = (dates: readonly Date[], options: Intl.DateTimeFormatOptions) =>
    dates.map(date => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(date))
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(-1234567.5)
  const part = (type: string, fallback: string) => parts.find(each => each.type === type)?.value ?? fallback
  return {
    number: { decimal: part('decimal', '.'), thousands: part('group', ','), grouping: [3], currency: ['', ''] },
    time: {
      ...{ dateTime: '%x, %X', date: '%Y-%m-%d', time: '%H:%M:%S', periods: ['AM', 'PM'] },
      ...{ days: names(days, { weekday: 'long' }), shortDays: names(days, { weekday: 'short' }) },
      ...{ months: names(months, { month: 'long' }), shortMonths: names(months, { month: 'short' }) },
    },
  }
}
