//! Plots: descriptions as plain values, and their rendering as SVG (feature `plots`).

#[cfg(feature = "plots")]
mod svg;

#[cfg(feature = "plots")]
pub use svg::{Look, svg};

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Lines over a common axis.
    Lines {
        /// The title.
        title: String,
        /// The horizontal axis.
        x: String,
        /// The vertical axis.
        y: String,
        /// The lines.
        series: Vec<Series>,
    },
    /// Groups of bars.
    Bars {
        /// The title.
        title: String,
        /// The vertical axis.
        y: String,
        /// The groups.
        groups: Vec<Group>,
    },
    /// Horizontal bars below each other, each with its name and figure.
    Lengths {
        /// The title.
        title: String,
        /// The bars.
        lengths: Vec<Length>,
    },
}

/// A horizontal bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Length {
    /// Its name.
    pub name: String,
    /// Its figure, formatted.
    pub shown: String,
    /// Its length.
    pub value: f64,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, by x.
    pub points: Vec<(f64, f64)>,
    /// Whether it is drawn dashed: for reference lines such as published figures.
    pub dashed: bool,
}

/// Bars side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name below the axis.
    pub name: String,
    /// Its bars.
    pub bars: Vec<Bar>,
}

/// A vertical bar. Bars with the same name have the same colour in all groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its name in the legend.
    pub name: String,
    /// Its height.
    pub value: f64,
    /// Half the length of its error bar; 0 for none.
    pub deviation: f64,
}
