//! Pictures, as SVG without a background: their colours can be read on white
//! and on black.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

const WIDTH: u32 = 760;
const MARGIN: u32 = 10;
/// Room for the names at the right end of the curves.
const NAMES: u32 = 210;
const FONT: &str = "Helvetica, Arial, sans-serif";
const TEXT_SIZE: u32 = 14;
const TITLE_SIZE: u32 = 17;
/// Pixels from one line of text to the next.
const LINE: i32 = 17;

/// In the middle between white and black, as every colour here.
const INK: RGBColor = RGBColor(125, 133, 144);
const COLOURS: [RGBColor; 7] = [
    RGBColor(125, 133, 144),
    RGBColor(176, 124, 30),
    RGBColor(222, 82, 70),
    RGBColor(56, 132, 244),
    RGBColor(28, 158, 108),
    RGBColor(160, 104, 214),
    RGBColor(20, 150, 170),
];

/// A curve and its name, in one of the colours.
pub struct Curve {
    pub name: String,
    pub colour: usize,
    pub points: Vec<(f64, f64)>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn begin<'a>(path: &'a Path, height: u32, title: &str) -> Result<Area<'a>, Box<dyn Error>> {
    let area = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    let style = (FONT, TITLE_SIZE).into_font().color(&INK);
    area.draw_text(title, &style, (MARGIN as i32, MARGIN as i32))?;
    Ok(area)
}

/// Curves over two logarithmic axes.
pub fn log_curves(
    path: &Path,
    title: &str,
    below: &str,
    (x, y): (Range<f64>, Range<f64>),
    curves: &[Curve],
) -> Result<(), Box<dyn Error>> {
    let ranges = (x.log_scale(), y.log_scale());
    draw_curves(path, title, below, ranges, &|number| short(*number), curves)
}

/// Curves of shares over a logarithmic axis.
pub fn share_curves(
    path: &Path,
    title: &str,
    below: &str,
    x: Range<f64>,
    curves: &[Curve],
) -> Result<(), Box<dyn Error>> {
    let percent = |share: &f64| format!("{:.0} %", share * 100.0);
    draw_curves(
        path,
        title,
        below,
        (x.log_scale(), 0.0..1.0),
        &percent,
        curves,
    )
}

fn draw_curves<X, Y>(
    path: &Path,
    title: &str,
    below: &str,
    (x, y): (X, Y),
    y_label: &dyn Fn(&f64) -> String,
    curves: &[Curve],
) -> Result<(), Box<dyn Error>>
where
    X: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
{
    let area = begin(path, 400, title)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(MARGIN)
        .margin_top(TITLE_SIZE + 2 * MARGIN)
        .margin_right(NAMES)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(x, y)?;
    let text = (FONT, TEXT_SIZE).into_font().color(&INK);
    chart
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(INK.mix(0.25))
        .light_line_style(TRANSPARENT)
        .label_style(text.clone())
        .axis_desc_style(text)
        .x_desc(below)
        .x_label_formatter(&|number| short(*number))
        .y_label_formatter(y_label)
        .draw()?;
    let mut names = Vec::new();
    for curve in curves {
        let colour = COLOURS[curve.colour];
        let line = LineSeries::new(curve.points.iter().copied(), colour.stroke_width(2));
        chart.draw_series(line)?;
        if let Some(end) = curve.points.last() {
            let (x, y) = chart.backend_coord(end);
            names.push((y, x, &curve.name, colour));
        }
    }
    drop(chart);
    // Names that would lie on each other give way downwards.
    names.sort_by_key(|name| name.0);
    let mut free = 0;
    for (y, x, name, colour) in names {
        let y = free.max(y - LINE / 2);
        free = y + LINE;
        let style = (FONT, TEXT_SIZE).into_font().color(&colour);
        area.draw_text(name, &style, (x + 6, y))?;
    }
    area.present()?;
    Ok(())
}

/// A bar, its name before it and a label behind it.
pub struct Bar {
    pub name: String,
    pub colour: usize,
    pub length: f64,
    pub label: String,
}

/// Bars, one below the other.
pub fn bars(path: &Path, title: &str, bars: &[Bar]) -> Result<(), Box<dyn Error>> {
    const THICKNESS: i32 = 22;
    const STEP: i32 = 32;
    const LABEL: i32 = 130;
    let top = (TITLE_SIZE + 2 * MARGIN) as i32 + 6;
    let left = NAMES as i32;
    let room = WIDTH as i32 - left - LABEL;
    let area = begin(path, (top + STEP * bars.len() as i32) as u32, title)?;
    let longest = bars.iter().map(|bar| bar.length).fold(0.0, f64::max);
    for (place, bar) in bars.iter().enumerate() {
        let y = top + STEP * place as i32;
        let end = left + (f64::from(room) * bar.length / longest) as i32;
        let colour = COLOURS[bar.colour];
        let style = (FONT, TEXT_SIZE).into_font().color(&colour);
        area.draw_text(&bar.name, &style, (MARGIN as i32, y + 4))?;
        area.draw(&Rectangle::new(
            [(left, y), (end, y + THICKNESS)],
            colour.filled(),
        ))?;
        area.draw_text(&bar.label, &style, (end + 6, y + 4))?;
    }
    area.present()?;
    Ok(())
}

/// A number in few characters: 950, 64k, 1.4M, 20.3M.
pub fn short(number: f64) -> String {
    let with = |scaled: f64, unit: &str| {
        let digits = usize::from(scaled < 99.95 && unit == "M" || scaled < 9.95);
        let text = format!("{scaled:.digits$}");
        format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match number {
        n if n >= 999_500.0 => with(n / 1e6, "M"),
        n if n >= 1_000.0 => with(n / 1e3, "k"),
        n => with(n, ""),
    }
}
