//! The SVG as a PDF of one page, for papers: lines and outlines of words, no pixels.
//!
//! What is on a picture is filled and stroked paths in flat colours, which PDF has under other names (ISO 32000-1, 8.5).

use super::picture::Picture;
#[cfg(feature = "png")]
use super::png::shapes;

/// The picture as the bytes of a PDF.
///
/// # Errors
/// If it is too large to be drawn, or dpcmp was built without it; says why.
#[cfg(feature = "png")]
pub fn pdf(picture: &Picture) -> Result<Vec<u8>, String> {
    let tree = shapes(picture)?;
    let size = tree.size();
    let mut page = page::Page::default();
    page.group(tree.root());
    let (width, height) = (size.width() * POINTS, size.height() * POINTS);
    let content = format!("{POINTS} 0 0 -{POINTS} 0 {height} cm\n{}", page.content);
    let states: String = (0usize..)
        .zip(&page.opacities)
        .map(|(number, (fill, stroke))| format!("/G{number} <</ca {fill} /CA {stroke}>> "))
        .collect();
    let title: String = std::iter::once(0xfeff)
        .chain(picture.title.encode_utf16())
        .map(|unit| format!("{unit:04X}"))
        .collect();
    Ok(document(&[
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R] /Count 1>>".to_owned(),
        format!(
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R /Resources <</ExtGState <<{states}>>>>>>"
        ),
        format!("<</Length {}>>\nstream\n{content}endstream", content.len()),
        format!("<</Title <{title}> /Producer (dpcmp)>>"),
    ]))
}

/// The picture as the bytes of a PDF.
///
/// # Errors
/// Always: dpcmp was built without it.
#[cfg(not(feature = "png"))]
pub fn pdf(_picture: &Picture) -> Result<Vec<u8>, String> {
    Err("dpcmp was built without the feature `png`, which draws PDF too; give a name that ends in .svg".to_owned())
}

/// Points of PDF in a unit of the picture.
#[cfg(feature = "png")]
const POINTS: f32 = 0.75;

/// The objects with their numbers from 1, and where each begins; the first is the catalogue, the last says what the document is.
#[cfg(feature = "png")]
fn document(objects: &[String]) -> Vec<u8> {
    let mut text = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1usize..).zip(objects) {
        places.push(text.len());
        text.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = text.len();
    let count = objects.len();
    text.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", count + 1));
    for place in places {
        text.push_str(&format!("{place:010} 00000 n \n"));
    }
    text.push_str(&format!(
        "trailer\n<</Size {} /Root 1 0 R /Info {count} 0 R>>\nstartxref\n{start}\n%%EOF\n",
        count + 1
    ));
    text.into_bytes()
}

#[cfg(feature = "png")]
mod page {
    use resvg::tiny_skia::{Path as Outline, PathSegment, Point, Transform};
    use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Paint, Path};

    /// What is drawn on a page.
    #[derive(Default)]
    pub struct Page {
        /// Its operators.
        pub content: String,
        /// The opacities of fillings and strokes that they use, by number.
        pub opacities: Vec<(f32, f32)>,
    }

    impl Page {
        /// Everything in a group, from back to front.
        pub fn group(&mut self, group: &Group) {
            self.write("q");
            if let Some(clip) = group.clip_path() {
                let to_page = group.abs_transform().pre_concat(clip.transform());
                for node in clip.root().children() {
                    if let Node::Path(path) = node {
                        self.outline(path.data(), to_page.pre_concat(path.abs_transform()));
                    }
                }
                self.write("W n");
            }
            for node in group.children() {
                match node {
                    Node::Group(inner) => self.group(inner),
                    Node::Path(path) => self.path(path),
                    Node::Text(text) => self.group(text.flattened()),
                    // There are none on our pictures.
                    Node::Image(_) => {}
                }
            }
            self.write("Q");
        }

        fn path(&mut self, path: &Path) {
            if !path.is_visible() {
                return;
            }
            let filled = path.fill().map(|fill| fill.opacity().get());
            let stroked = path.stroke().map(|stroke| stroke.opacity().get());
            self.write("q");
            self.opacity(filled.unwrap_or(1.0), stroked.unwrap_or(1.0));
            let mut paint = "n";
            if let Some(fill) = path.fill() {
                self.colour(fill.paint(), "rg");
                paint = match fill.rule() {
                    FillRule::NonZero => "f",
                    FillRule::EvenOdd => "f*",
                };
            }
            if let Some(stroke) = path.stroke() {
                self.colour(stroke.paint(), "RG");
                let (x, y) = path.abs_transform().get_scale();
                let width = stroke.width().get() * (x * y).abs().sqrt();
                let cap = match stroke.linecap() {
                    LineCap::Butt => 0,
                    LineCap::Round => 1,
                    LineCap::Square => 2,
                };
                let join = match stroke.linejoin() {
                    LineJoin::Miter | LineJoin::MiterClip => 0,
                    LineJoin::Round => 1,
                    LineJoin::Bevel => 2,
                };
                let dashes: Vec<String> = stroke
                    .dasharray()
                    .unwrap_or_default()
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                let (dashes, offset) = (dashes.join(" "), stroke.dashoffset());
                self.write(&format!("{width} w {cap} J {join} j [{dashes}] {offset} d"));
                paint = match paint {
                    "f" => "B",
                    "f*" => "B*",
                    _ => "S",
                };
            }
            self.outline(path.data(), path.abs_transform());
            self.write(paint);
            self.write("Q");
        }

        /// The opacities from here on.
        fn opacity(&mut self, fill: f32, stroke: f32) {
            let pair = (fill, stroke);
            let known = self.opacities.iter().position(|known| *known == pair);
            let number = known.unwrap_or(self.opacities.len());
            if known.is_none() {
                self.opacities.push(pair);
            }
            self.write(&format!("/G{number} gs"));
        }

        fn colour(&mut self, paint: &Paint, operator: &str) {
            // Pictures have flat colours only.
            if let Paint::Color(colour) = paint {
                let part = |value: u8| f32::from(value) / 255.0;
                let (red, green, blue) = (part(colour.red), part(colour.green), part(colour.blue));
                self.write(&format!("{red} {green} {blue} {operator}"));
            }
        }

        /// A path on the page; PDF has cubic curves only.
        fn outline(&mut self, outline: &Outline, to_page: Transform) {
            let Some(outline) = outline.clone().transform(to_page) else {
                return;
            };
            let mut from = Point::zero();
            for segment in outline.segments() {
                let line = match segment {
                    PathSegment::MoveTo(to) => {
                        from = to;
                        format!("{} m", place(to))
                    }
                    PathSegment::LineTo(to) => {
                        from = to;
                        format!("{} l", place(to))
                    }
                    PathSegment::QuadTo(by, to) => {
                        let (first, second) = (toward(from, by), toward(to, by));
                        from = to;
                        format!("{} {} {} c", place(first), place(second), place(to))
                    }
                    PathSegment::CubicTo(first, second, to) => {
                        from = to;
                        format!("{} {} {} c", place(first), place(second), place(to))
                    }
                    PathSegment::Close => "h".to_owned(),
                };
                self.write(&line);
            }
        }

        fn write(&mut self, line: &str) {
            self.content.push_str(line);
            self.content.push('\n');
        }
    }

    /// Two thirds of the way: a quadratic curve as a cubic one.
    fn toward(end: Point, middle: Point) -> Point {
        let part = |end: f32, middle: f32| end + (middle - end) * (2.0 / 3.0);
        Point::from_xy(part(end.x, middle.x), part(end.y, middle.y))
    }

    fn place(point: Point) -> String {
        format!("{:.3} {:.3}", point.x, point.y)
    }
}
